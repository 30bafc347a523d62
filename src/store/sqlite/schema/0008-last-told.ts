/**
 * What was sent to a contact last is found among the rows of that contact, without reading those of the others or a
 * backlog of its own.
 *
 * @module
 */

export const lastTold = `
CREATE INDEX notifications_contact ON notifications (contact_id, id, status);
`
