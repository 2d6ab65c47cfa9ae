-- Closes the accounts that nobody has used for two years.
BEGIN;

INSERT INTO closed_accounts (account_id, closed_at)
SELECT id, now()
FROM accounts
WHERE last_used_at < now() - INTERVAL '2 years';

UPDATE accounts
SET is_closed = TRUE;

COMMIT;
