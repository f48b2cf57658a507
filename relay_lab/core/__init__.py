"""The trusted core: the only code that can cause an effect. Read admission, policy, confirmation, execution, runtime."""
