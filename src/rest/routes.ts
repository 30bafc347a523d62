/**
 * The route table, in the order of section 4 of the specification; extensions are below the line.
 *
 * @module
 */

import {
  acknowledgeIncident,
  listIncidents,
  listMonitorIncidents,
  showIncident,
} from './incidents.ts'
import { listAuditLog } from './audit-log.ts'
import { bulkMonitors } from './bulk.ts'
import {
  createContact,
  deleteContact,
  listContacts,
  previewContact,
  showContact,
  updateContact,
} from './contacts.ts'
import {
  createMaintenance,
  deleteMaintenance,
  listMaintenance,
  listOccurrences,
  showMaintenance,
  updateMaintenance,
} from './maintenance.ts'
import {
  checkMonitor,
  createMonitor,
  deleteMonitor,
  listMonitors,
  listResults,
  pauseMonitor,
  resumeMonitor,
  showMonitor,
  showStatus,
  showHours,
  showUptime,
  updateMonitor,
} from './monitors.ts'
import {
  listNotifications,
  resendNotification,
  showNotification,
  testContact,
} from './notifications.ts'
import type { Operation } from './operation.ts'
import {
  createPublicPage,
  deletePublicPage,
  listPublicPages,
  showPublicPage,
  updatePublicPage,
} from './public-pages.ts'
import { listLocations, listTypes, showBalance, showMe } from './reference.ts'
import type { RoutePattern } from './router.ts'
import {
  addReportUpdate,
  createStatusReport,
  deleteStatusReport,
  listStatusReports,
  showStatusReport,
  updateStatusReport,
} from './status-reports.ts'

export interface Route extends RoutePattern {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly operation: Operation
}

export const API = '/api/v1'
export const HEARTBEAT = '/hb'
export const OPENAPI = `${API}/openapi.json`

const on = (method: Route['method'], path: string, operation: Operation): Route => ({
  method,
  path: `${API}${path}`,
  operation,
})

export const routes: readonly Route[] = [
  on('GET', '/me', showMe),
  on('GET', '/monitors', listMonitors),
  on('POST', '/monitors', createMonitor),
  on('GET', '/monitors/:id', showMonitor),
  on('PATCH', '/monitors/:id', updateMonitor),
  on('DELETE', '/monitors/:id', deleteMonitor),
  on('POST', '/monitors/:id/pause', pauseMonitor),
  on('POST', '/monitors/:id/resume', resumeMonitor),
  on('POST', '/monitors/:id/check', checkMonitor),
  on('GET', '/monitors/:id/status', showStatus),
  on('GET', '/monitors/:id/results', listResults),
  on('GET', '/monitors/:id/uptime', showUptime),
  on('GET', '/monitors/:id/incidents', listMonitorIncidents),
  on('GET', '/incidents', listIncidents),
  on('GET', '/incidents/:id', showIncident),
  on('POST', '/incidents/:id/acknowledge', acknowledgeIncident),
  on('GET', '/locations', listLocations),
  on('GET', '/contacts', listContacts),
  on('GET', '/balance', showBalance),
  on('GET', '/types', listTypes),
  // ----------------------------------------------------------------
  on('GET', '/monitors/:id/hours', showHours),
  on('POST', '/monitors/bulk', bulkMonitors),
  on('GET', '/maintenance', listMaintenance),
  on('POST', '/maintenance', createMaintenance),
  on('GET', '/maintenance/upcoming', listOccurrences),
  on('GET', '/maintenance/:id', showMaintenance),
  on('PATCH', '/maintenance/:id', updateMaintenance),
  on('DELETE', '/maintenance/:id', deleteMaintenance),
  on('GET', '/public-pages', listPublicPages),
  on('POST', '/public-pages', createPublicPage),
  on('GET', '/public-pages/:id', showPublicPage),
  on('PATCH', '/public-pages/:id', updatePublicPage),
  on('DELETE', '/public-pages/:id', deletePublicPage),
  on('GET', '/status-reports', listStatusReports),
  on('POST', '/status-reports', createStatusReport),
  on('GET', '/status-reports/:id', showStatusReport),
  on('PATCH', '/status-reports/:id', updateStatusReport),
  on('DELETE', '/status-reports/:id', deleteStatusReport),
  on('POST', '/status-reports/:id/updates', addReportUpdate),
  on('GET', '/notifications', listNotifications),
  on('GET', '/notifications/:id', showNotification),
  on('POST', '/notifications/:id/resend', resendNotification),
  on('POST', '/contacts/:id/test', testContact),
  on('GET', '/audit-log', listAuditLog),
]

/** Beside the others if the host switches them on (`manageContacts`). */
export const contactRoutes: readonly Route[] = [
  on('POST', '/contacts', createContact),
  on('GET', '/contacts/:id', showContact),
  on('PATCH', '/contacts/:id', updateContact),
  on('GET', '/contacts/:id/preview', previewContact),
  on('DELETE', '/contacts/:id', deleteContact),
]
