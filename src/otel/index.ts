/**
 * `watchpost/otel`: the work of an engine as spans of OpenTelemetry.
 *
 * @module watchpost/otel
 */

export { openTelemetry } from './otel.ts'
