/** Who carries out a request that may arrive at two engines. Not worth a write-ahead log: a turn lasts two minutes. */
export const turns = `
CREATE UNLOGGED TABLE watchpost.turns (
  account_id bigint NOT NULL,
  reply_key text NOT NULL,
  owner text NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (account_id, reply_key)
);
`
