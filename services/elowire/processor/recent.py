"""Accounts that were decoded lately: who plays now will play again, and decoding costs more than deciding."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from elowire.processor.entries import Account

# In one partition; an account with ten pending games takes about 3 KiB in this form.
MOST: Final = 1600


class Recent:
    """The last accounts of one partition, each beside the bytes that it was written as.

    An account is given away only for the very bytes that the table holds, so that a batch which never became
    durable leaves nothing behind.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, tuple[bytes, Account]] = OrderedDict()

    def take(self, key: bytes, state: bytes | None) -> Account | None:
        """Give an account away, if it is the one that the table holds; the taker may change it."""
        found = self._kept.pop(key, None)

        return found[1] if found is not None and found[0] is state else None

    def keep(self, key: bytes, state: bytes, account: Account) -> None:
        """Keep an account beside its bytes; the one kept longest makes room."""
        self._kept[key] = (state, account)
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
