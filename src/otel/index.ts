/**
 * `watchpost/otel`: the work of an engine as spans of OpenTelemetry.
 *
 * @module
 */

export { openTelemetry } from './otel.ts'
