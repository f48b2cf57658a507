"""The trusted core: the only code that can cause an effect. Read admission, policy, confirmation, local, remote, runtime."""
