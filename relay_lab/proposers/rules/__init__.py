"""The offline default proposer: what it knows of a language is data, how it reads is one algorithm."""

from relay_lab.proposers.rules.proposer import rules_proposer

__all__ = ["rules_proposer"]
