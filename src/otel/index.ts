/**
 * `watchpost/otel`: OpenTelemetry spans of an engine.
 *
 * @module watchpost/otel
 */

export { openTelemetry } from './otel.ts'
