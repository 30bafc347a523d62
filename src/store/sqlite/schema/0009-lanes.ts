/**
 * Finds the next row to send by skipping from contact to contact and from lane to lane, so that a claim does not read
 * the rows behind others. A lane is the notifications of one monitor for one contact; rows without a monitor are not
 * ordered.
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
