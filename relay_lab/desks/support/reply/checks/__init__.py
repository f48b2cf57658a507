"""How a draft is held against ledger and states: characters, tokens, values, clauses, licences, duties."""
