-- A custodian counts and keeps bars, and sees nobody's balances.
ALTER TABLE operator_roles DROP CONSTRAINT operator_roles_role;
ALTER TABLE operator_roles ADD CONSTRAINT operator_roles_role CHECK (role IN
  ('auditor', 'support', 'partners', 'treasury', 'vault', 'custodian', 'prices', 'administrator'));
