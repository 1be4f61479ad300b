#!/usr/bin/env python3
"""Exit 0 when the service with this admin port says that it is ready: the health check of the image."""

from __future__ import annotations

import sys
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

try:
    # Any other status than success is an error, whose text says what the service waits for.
    urlopen(f"http://127.0.0.1:{int(sys.argv[1])}/readyz", timeout=2).close()
except HTTPError as answer:
    sys.exit(answer.read().decode())
except URLError as fault:
    sys.exit(str(fault.reason))
