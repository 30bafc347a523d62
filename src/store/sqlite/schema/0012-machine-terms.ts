/**
 * Names of two members of a monitor's machine: the keys of sent notices, and why an incident is suppressed.
 *
 * @module
 */

export const machineTerms = `
UPDATE standings SET machine = REPLACE(
  REPLACE(machine, '"told":[', '"sent_notice_keys":['), '"held":{', '"suppression":{');
`
