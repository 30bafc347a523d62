/**
 * Status reports: what people write on public pages about disruptions. An extension of the specification.
 *
 * @module
 */

import type { ReportUpdateInput, StatusReportInput } from '../engine/api/status-reports.ts'
import {
  NEW_REPORT_FIELDS,
  REPORT_UPDATE_FIELDS,
  STATUS_REPORT_FIELDS,
} from '../engine/registry/status-report-fields.ts'
import { jsonSchema } from '../fields/describe.ts'
import { ok } from './envelope.ts'
import { ifMatch, unlessKnown, versionedReply } from './etag.ts'
import { arrayOf, nullable, object, patchSchema, ref, text } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging, param } from './query.ts'

const tag = 'Status reports'
const answers = { 200: { status_report: ref('StatusReport') } }

export const listStatusReports = operation({
  summary: 'Lists the status reports of the account, newest first',
  description:
    'A page has fewer than `limit` where its reports have more than 500000 characters of updates in all.',
  scope: 'pages:read',
  tag,
  query: {
    page_id: param.id('Those on this public page'),
    open: param.flag('Those that are not resolved, or the others'),
    ...paging('status_reports'),
  },
  answers: { 200: { status_reports: arrayOf('StatusReport'), next_cursor: nullable(text()) } },
  async run({ scope }, query) {
    const { items, next } = await scope.statusReports.list(paged(query))
    return ok({ status_reports: items, next_cursor: cursorOf('status_reports', next) })
  },
})

export const createStatusReport = operation({
  summary: 'Writes a status report with its first update on public pages',
  scope: 'pages:write',
  tag,
  body: 'StatusReportCreate',
  answers: { 201: { status_report: ref('StatusReport') } },
  refusals: [409, 501],
  versioned: true,
  repeatable: true,
  async run({ scope, body, host }) {
    // The engine validates the input; until then it only has the shape of a `StatusReportInput`.
    const status_report = await scope.statusReports.create(body as unknown as StatusReportInput)
    const Location = `${host.base_path}/api/v1/status-reports/${status_report.id}`
    return versionedReply({ status_report }, { status: 201, headers: { Location } })
  },
})

export const showStatusReport = operation({
  summary: 'One status report with its updates',
  scope: 'pages:read',
  tag,
  answers,
  versioned: true,
  async run({ scope, id, request }) {
    const status_report = await scope.statusReports.get(id)
    return unlessKnown(versionedReply({ status_report }), request)
  },
})

export const updateStatusReport = operation({
  summary: 'Changes the title, the pages and the monitors, as far as they are sent',
  scope: 'pages:write',
  tag,
  body: 'StatusReportUpdate',
  answers,
  refusals: [409],
  versioned: true,
  async run(call) {
    const { scope, id, body } = call
    return versionedReply({
      status_report: await scope.statusReports.update(
        id,
        body,
        await ifMatch(call, 'statusReports'),
      ),
    })
  },
})

export const addReportUpdate = operation({
  summary: 'Adds an update; `resolved` ends the report',
  scope: 'pages:write',
  tag,
  body: 'ReportUpdateCreate',
  answers,
  refusals: [409],
  versioned: true,
  repeatable: true,
  async run(call) {
    const { scope, id, body } = call
    const update = body as unknown as ReportUpdateInput
    return versionedReply({
      status_report: await scope.statusReports.addUpdate(
        id,
        update,
        await ifMatch(call, 'statusReports'),
      ),
    })
  },
})

export const deleteStatusReport = operation({
  summary: 'Deletes the status report from all pages',
  scope: 'pages:write',
  tag,
  answers: { 200: { deleted: object({ id: { type: 'integer' } }) } },
  refusals: [409],
  versioned: true,
  async run(call) {
    await call.scope.statusReports.remove(call.id, await ifMatch(call, 'statusReports'))
    return ok({ deleted: { id: call.id } })
  },
})

export const STATUS_REPORT_INPUTS: Readonly<
  Record<'StatusReportCreate' | 'StatusReportUpdate' | 'ReportUpdateCreate', Schema>
> = {
  StatusReportCreate: jsonSchema(NEW_REPORT_FIELDS),
  StatusReportUpdate: patchSchema(STATUS_REPORT_FIELDS),
  ReportUpdateCreate: jsonSchema(REPORT_UPDATE_FIELDS),
}
