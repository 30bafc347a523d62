/** Names of two members of a monitor's machine: the keys of sent notices, and why an incident is suppressed. */
export const machineTerms = `
UPDATE watchpost.monitors SET machine = REPLACE(
  REPLACE(machine, '"told":[', '"sent_notice_keys":['), '"held":{', '"suppression":{')
`
