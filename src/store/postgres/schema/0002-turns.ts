/** Which engine executes a request that may arrive at two of them. Unlogged: a turn lasts two minutes. */
export const turns = `
CREATE UNLOGGED TABLE watchpost.turns (
  account_id bigint NOT NULL,
  reply_key text NOT NULL,
  owner text NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (account_id, reply_key)
);
`
