/**
 * What may be sent next is found from contact to contact and from lane to lane, so that a claim does not read what
 * waits behind others. A lane is what one contact is told of one monitor; what is of no monitor waits for nothing.
 *
 * @module
 */

export const lanes = `
DROP INDEX notifications_waiting;
CREATE INDEX notifications_due ON notifications (due_at) WHERE status = 'queued';
CREATE INDEX notifications_queued ON notifications (contact_id, due_at) WHERE status = 'queued';
CREATE INDEX notifications_alone ON notifications (contact_id, due_at)
  WHERE status = 'queued' AND monitor_id IS NULL;
CREATE INDEX notifications_sending ON notifications (lease_until) WHERE status = 'sending';
CREATE INDEX notifications_lanes ON notifications (contact_id, monitor_id, id)
  WHERE status IN ('queued', 'sending');
`
