-- Closes the accounts that nobody has used for two years.
UPDATE accounts
SET is_closed = TRUE
WHERE last_used_at < now() - INTERVAL '2 years';
