"""Why a company, its file or its fixture cannot be used. Never a business outcome: those are values.

RelayLabError
└── WorldError                 each leaf is also the contract error of its kind, so that an edge may catch either
    ├── FixtureError           (BadInput) a fixture is missing, or what it holds is not a world
    ├── CompanyMissing         (DatabaseError) there is no file of that name
    ├── CompanyExists          (DatabaseError) there is one already, and a new one was to be made
    ├── NotACompany            (NotADatabase)
    ├── CompanyOfOtherVersion  (OtherVersion)
    ├── CompanyReadOnly        (ReadOnlyDatabase)
    ├── CompanyLocked          (DatabaseLocked)
    └── CompanyDiskFull        (DiskFull)
"""

from relay_lab.contracts import errors


class WorldError(errors.RelayLabError):
    """Root of what this package raises on purpose. `str(error)` is one sentence for a person."""


class FixtureError(WorldError, errors.BadInput):
    """A fixture is missing, or what it holds is not a world."""


class CompanyMissing(WorldError, errors.DatabaseError):
    """There is no file of that name."""


class CompanyExists(WorldError, errors.DatabaseError):
    """A new company was to be made where there is one already."""


class NotACompany(WorldError, errors.NotADatabase):
    """The file is no database, is damaged, or belongs to another program."""


class CompanyOfOtherVersion(WorldError, errors.OtherVersion):
    """The company was written by another version."""


class CompanyReadOnly(WorldError, errors.ReadOnlyDatabase):
    """The company's file, or the folder it lies in, cannot be written."""


class CompanyLocked(WorldError, errors.DatabaseLocked):
    """Another process held the company's file for too long."""


class CompanyDiskFull(WorldError, errors.DiskFull):
    """There is no room left to write."""
