/** A claim finds the rows that are dated after it without reading those that wait. */
export const latest = `
CREATE INDEX notifications_latest ON watchpost.notifications (created_at) WHERE status = 'queued';
`
