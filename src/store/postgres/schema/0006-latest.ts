/** A claim finds the rows dated after it by this index, without reading the waiting rows. */
export const latest = `
CREATE INDEX notifications_latest ON watchpost.notifications (created_at) WHERE status = 'queued';
`
