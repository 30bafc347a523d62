/**
 * Finds the last notification of a contact without reading the rows of others or the contact's own backlog.
 *
 * @module
 */

export const lastTold = `
CREATE INDEX notifications_contact ON notifications (contact_id, id, status);
`
