"""The exception tree. An exception means bad input from outside, a broken place to keep data, or a bug; never a business outcome.

RelayLabError
├── BadInput            something a person gave cannot be used; the sentence says what, where and what to do
│   ├── ConversationMoved   another process took the conversation on meanwhile; the words of this turn were not kept
│   └── ConversationExpired what was said has outlived its time and was removed
├── DatabaseError       a database cannot be used
│   ├── NotADatabase
│   ├── OtherVersion
│   ├── ReadOnlyDatabase
│   ├── DatabaseLocked
│   └── DiskFull
├── ProposerRefused     a proposer has no answer to give, and says by a code why; the runtime makes a refusal of it
└── AuditUnavailable    the audit store refused a row: before a write nothing is written, after it the failure is surfaced
"""


class RelayLabError(Exception):
    """Root of every exception this package raises on purpose. `str(error)` is one sentence for a person."""


class BadInput(RelayLabError):
    """Something a person gave cannot be used."""


class ConversationMoved(BadInput):
    """Another process took the conversation on meanwhile: what this turn caused stands, what it said was not kept."""


class ConversationExpired(BadInput):
    """What a conversation held has outlived its time and was removed."""


class DatabaseError(RelayLabError):
    """A database cannot be used."""


class NotADatabase(DatabaseError):
    """The file is not a database of ours."""


class OtherVersion(DatabaseError):
    """The database was written by another version."""


class ReadOnlyDatabase(DatabaseError):
    """The database, or the folder it lies in, cannot be written."""


class DatabaseLocked(DatabaseError):
    """Another process held the database for too long."""


class DiskFull(DatabaseError):
    """There is no room left to write."""


class AuditUnavailable(RelayLabError):
    """The audit store refused a row."""


class ProposerRefused(RelayLabError):
    """A proposer has no answer to give. `code` (a `Code`) goes on the trace, `detail` is for a log and never holds a secret."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"the proposer gave no answer: {code}" + (f" ({detail})" if detail else ""))
        self.code, self.detail = code, detail
