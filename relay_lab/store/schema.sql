CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE conversation (
    tenant_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    moved_at TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
);

CREATE TABLE wording (
    tenant_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    received_at TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, turn)
);

CREATE TABLE proposal (
    tenant_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    proposal_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    change_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    shown_at TEXT,
    confirmation_id TEXT NOT NULL,
    confirmed_hash TEXT,
    consumed_at TEXT,
    PRIMARY KEY (tenant_id, customer_id, proposal_id)
);
CREATE UNIQUE INDEX proposal_number ON proposal (tenant_id, customer_id, number);
CREATE UNIQUE INDEX one_open_proposal ON proposal (tenant_id, customer_id, conversation_id, subject_id)
    WHERE state IN ('pending', 'confirmed');

CREATE TABLE challenge (
    digest TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    FOREIGN KEY (tenant_id, customer_id, proposal_id) REFERENCES proposal ON DELETE CASCADE
);

CREATE TABLE token (
    digest TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    FOREIGN KEY (tenant_id, customer_id, proposal_id) REFERENCES proposal ON DELETE CASCADE
);

CREATE TABLE receipt (
    idempotency_key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    answer TEXT NOT NULL,
    recorded_at TEXT NOT NULL
);

CREATE TABLE operation (
    idempotency_key TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    proposal_id TEXT,
    fingerprint TEXT NOT NULL,
    envelope TEXT NOT NULL,
    state TEXT NOT NULL,
    receipt TEXT,
    error TEXT,
    detail TEXT,
    audit_failed INTEGER NOT NULL DEFAULT 0,
    submitted_at TEXT NOT NULL,
    settled_at TEXT
);
CREATE INDEX operation_of_conversation ON operation (tenant_id, conversation_id, subject_id);
CREATE INDEX operation_unsettled ON operation (state) WHERE state IN ('submitted', 'failed_unknown');

CREATE TABLE audit (
    event_id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    run_hash TEXT NOT NULL,
    action_hash TEXT NOT NULL,
    stage TEXT NOT NULL,
    outcome TEXT NOT NULL,
    tool TEXT NOT NULL,
    risk INTEGER NOT NULL,
    tenant_hash TEXT NOT NULL,
    customer_hash TEXT,
    change_hash TEXT
);
