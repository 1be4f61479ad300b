import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** The work of all peers (ledger.py) with Kafka Streams: one thread, a store in memory with its changelog. */
public final class Ledger {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BASE = 1500;
    private static final int MOST = 800;
    private static final int[] EXPECTED = new int[2 * MOST + 1];

    static {
        for (int difference = -MOST; difference <= MOST; difference++) {
            EXPECTED[difference + MOST] = (int) Math.rint(10_000 / (1 + Math.pow(10, difference / 400.0)));
        }
    }

    private static long delta(JsonNode game) {
        int difference = Math.max(-MOST, Math.min(MOST, game.get(1).asInt() - BASE));
        return (long) game.get(3).asInt() * (game.get(2).asInt() * 5_000 - EXPECTED[difference + MOST]);
    }

    private static final class Rate implements Processor<byte[], byte[], byte[], byte[]> {
        private ProcessorContext<byte[], byte[]> context;
        private KeyValueStore<byte[], byte[]> store;

        @Override
        public void init(ProcessorContext<byte[], byte[]> given) {
            context = given;
            store = given.getStateStore("ledger");
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            try {
                rate(record);
            } catch (IOException fault) {
                throw new UncheckedIOException(fault);
            }
        }

        private void rate(Record<byte[], byte[]> record) throws IOException {
            JsonNode event = JSON.readTree(record.value());
            byte[] raw = store.get(record.key());
            ObjectNode state;
            if (raw == null) {
                state = JSON.createObjectNode().put("s", 0);
                state.putObject("g");
            } else {
                state = (ObjectNode) JSON.readTree(raw);
            }
            ObjectNode games = (ObjectNode) state.get("g");
            String name = event.get("game").asText();
            int revision = event.get("rev").asInt();
            JsonNode old = games.get(name);
            if (old != null && old.get(0).asInt() >= revision) {
                return;
            }
            ArrayNode game = JSON.createArrayNode().add(revision).add(event.get("opp").asInt());
            games.set(name, game.add(event.get("score2").asInt()).add(event.get("k").asInt()));
            state.put("s", state.get("s").asInt() + 1);
            long rating = 10_000L * BASE;
            for (JsonNode one : games) {
                rating += delta(one);
            }
            store.put(record.key(), JSON.writeValueAsBytes(state));
            ObjectNode output = JSON.createObjectNode();
            output.put("player", new String(record.key(), StandardCharsets.UTF_8));
            output.put("version", state.get("s").asInt()).put("rating", rating);
            output.put("game", name).put("rev", revision).put("correction", old != null);
            context.forward(record.withValue(JSON.writeValueAsBytes(output)));
        }
    }

    public static void main(String[] arguments) {
        Map<String, String> job = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.substring(2).split("=", 2);
            job.put(parts[0], parts[1]);
        }
        Properties settings = new Properties();
        settings.put("application.id", job.get("group"));
        settings.put("bootstrap.servers", job.get("bootstrap"));
        settings.put("state.dir", job.get("folder"));
        settings.put("processing.guarantee", System.getProperty("guarantee"));
        settings.put("commit.interval.ms", "1000");
        settings.put("num.stream.threads", "1");
        settings.put("replication.factor", "1");
        settings.put("auto.offset.reset", "earliest");
        settings.put("consumer.max.poll.records", "2000");
        settings.put("producer.linger.ms", "20");
        settings.put("producer.batch.size", "524288");
        settings.put("producer.acks", "all");
        // Every change is written, as by the others: a cache would leave out states in between.
        settings.put("statestore.cache.max.bytes", "0");
        Topology topology = new Topology();
        topology.addSource("events", new ByteArrayDeserializer(), new ByteArrayDeserializer(), job.get("source"));
        topology.addProcessor("rate", Rate::new, "events");
        topology.addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore("ledger"), Serdes.ByteArray(), Serdes.ByteArray()),
            "rate");
        topology.addSink("outputs", job.get("outputs"), new ByteArraySerializer(), new ByteArraySerializer(), "rate");
        KafkaStreams streams = new KafkaStreams(topology, settings);
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }
}
