// The line to the ticker: connects, reconnects, and always says how old what it shows is.

import { age, clockTime } from "./figures.js";
import { t } from "./texts.js";

const BEAT_MS = 5_000;
const OVERDUE_MS = 2.5 * BEAT_MS;
const LOST_MS = 6 * BEAT_MS;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000];

export class Line {
  #source = null;
  #retry = null;
  #failures = 0;
  #heardAt = null; // performance.now() of the last word from the ticker
  #wellAt = null; // performance.now() of the last word that all is well
  #stateAt = null; // wall time up to which the state shown is known to be complete
  #changedAt = null; // the newest change in the ticker's time, and the ticker's time when it said so
  #tickerAt = null;
  #fault = null;
  #open = false;

  #lastId = null;

  /** `onState` hears how many milliseconds ago all was well: connected, and Kafka there; null for never. */
  constructor({ events, indicator = null, text = null, onState = null }) {
    this.events = events;
    this.indicator = indicator;
    this.text = text;
    this.onState = onState;
    setInterval(() => this.#show(), 1_000);
    document.addEventListener("visibilitychange", () => this.#show());
  }

  connect(address) {
    this.address = address;
    this.#lastId = null;
    this.#failures = 0;
    this.#dial();
  }

  #dial() {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#converse();
  }

  // A browser has six connections for everything else at one address, and 255 for WebSockets.
  #converse() {
    const address = new URL(this.#resuming(), location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const source = new WebSocket(address);
    this.#source = source;
    let opened = false;
    source.onopen = () => {
      opened = true;
      this.#opened();
    };
    source.onmessage = ({ data }) => {
      if (source !== this.#source) return;
      const { id, event, data: said } = JSON.parse(data);
      this.#take(id, event, said);
    };
    const ended = () => {
      if (source !== this.#source) return;
      if (opened) this.#lost();
      else this.#listen();
    };
    source.onclose = ended;
    // What a browser's own policy forbids ends with an error alone.
    source.onerror = () => opened || ended();
  }

  // Something between here and the ticker may let no WebSocket through.
  #listen() {
    const source = new EventSource(this.#resuming());
    this.#source = source;
    for (const name of new Set([...Object.keys(this.events), "heartbeat"])) {
      source.addEventListener(name, (event) => this.#take(event.lastEventId, name, JSON.parse(event.data)));
    }
    source.onopen = () => this.#opened();
    source.onerror = () => {
      if (source !== this.#source) return;
      source.close();
      this.#lost();
    };
  }

  #opened() {
    this.#open = true;
    this.#failures = 0;
  }

  #lost() {
    this.#open = false;
    this.#show();
    this.#dialLater();
  }

  #take(id, name, data) {
    this.#lastId = id || this.#lastId;
    const take = this.events[name];
    if (!take && name !== "heartbeat") return;
    this.#heard(name, data);
    take?.(data);
    this.#show();
  }

  // A connection made anew by hand cannot send Last-Event-ID, so the address says it.
  #resuming() {
    if (!this.#lastId) return this.address;
    return `${this.address}${this.address.includes("?") ? "&" : "?"}last_event_id=${encodeURIComponent(this.#lastId)}`;
  }

  #dialLater() {
    clearTimeout(this.#retry);
    const pause = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)];
    this.#retry = setTimeout(() => this.#dial(), pause * (0.75 + Math.random() / 2));
  }

  #heard(name, data) {
    this.#heardAt = performance.now();
    const freshness = name === "heartbeat" ? data : data.freshness;
    if (freshness) {
      this.#fault = freshness.fault;
      this.#tickerAt = freshness.at;
      this.#changedAt = freshness.changed_at;
    } else {
      this.#changedAt = this.#tickerAt = Date.now();
    }
    if (this.#fault) return;
    this.#stateAt = Date.now();
    this.#wellAt = performance.now();
  }

  #show() {
    const silence = this.#heardAt === null ? null : performance.now() - this.#heardAt;
    // A half-open connection says nothing at all: the browser would wait for ever.
    if (this.#open && silence > LOST_MS) {
      this.#open = false;
      this.#dialLater();
    }
    const [state, words] = this.#words(silence);
    if (this.indicator) this.indicator.dataset.state = state;
    if (this.text && this.text.textContent !== words) this.text.textContent = words;
    this.onState?.(this.#wellAt === null ? null : performance.now() - this.#wellAt);
  }

  #words(silence) {
    if (silence === null) return this.#failures ? ["lost", t("not_connected")] : ["waiting", t("connecting")];
    if (!this.#open) return ["lost", t("lost", { time: clockTime(this.#stateAt) })];
    if (this.#fault) {
      const words = this.#stateAt === null ? t("no_kafka") : t("no_kafka_since", { time: clockTime(this.#stateAt) });
      return ["lost", words];
    }
    if (this.#changedAt === null) return ["live", t("no_change_yet")];
    const words = age(this.#tickerAt - this.#changedAt + silence);
    return silence > OVERDUE_MS ? ["late", words] : ["live", words];
  }
}
