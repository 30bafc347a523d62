/**
 * Public pages made at run time, in the public API of the engine.
 *
 * @module
 */

import type { PageColor, PublicPageSettings } from '../../model.ts'
import type { Page, PageOptions, VersionOptions } from './filters.ts'

/** Services under one heading. At most 100 monitors are shown on a page. */
export interface PageGroupInput {
  /** At most 100 characters; absent: no heading. */
  readonly name?: string | undefined
  /** In the order of display: ids, or with the name on the page. */
  readonly monitors?:
    readonly (number | { readonly id: number; readonly name?: string | undefined })[] | undefined
  /** All monitors with this tag as well, by name. */
  readonly tag?: string | undefined
}

/** `#rrggbb` each; `null` or absent: the colour of every page. */
export type PageColorsInput = { readonly [C in PageColor]?: string | null | undefined }

export interface PublicPageInput {
  /** 1 to 200 characters. */
  readonly title: string
  /** The page is at `/status/<slug>`: letters, digits and hyphens, at most 64, stored in lower case. */
  readonly slug: string
  /** A sentence below the headline, at most 1000 characters. */
  readonly description?: string | null | undefined
  /** At most 20. Default none. */
  readonly groups?: readonly PageGroupInput[] | null | undefined
  /** An https URL, or a `data:` URL of a PNG, JPEG, GIF, WebP or SVG image of at most 48 KiB. */
  readonly logo?: string | null | undefined
  /** `#rrggbb` for each colour that differs from that of every page. */
  readonly colors?:
    | {
        readonly light?: PageColorsInput | null | undefined
        readonly dark?: PageColorsInput | null | undefined
      }
    | null
    | undefined
  /** At most 16 KiB, after the style of the page. It may load nothing: no `url()`, no `@import`, no escapes. */
  readonly css?: string | null | undefined
  /** IANA, default UTC. */
  readonly time_zone?: string | null | undefined
  /** 8 characters or more, which visitors must know; stored as a hash (scrypt). Default: the page is open to all. */
  readonly password?: string | null | undefined
  /** Asks search engines to leave the page out. Default `true`. */
  readonly noindex?: boolean | null | undefined
  /** Shows the checked addresses beside the names. Default `false`. */
  readonly show_targets?: boolean | null | undefined
  /** Shows the causes of incidents, in the words of the checks: they may contain internal addresses. Default `false`. */
  readonly show_causes?: boolean | null | undefined
}

/** `null` resets a field, `undefined` keeps it; `groups` is replaced as a whole. */
export type PublicPagePatch = Partial<PublicPageInput>

export interface PublicPageView extends Omit<PublicPageSettings, 'password_hash'> {
  readonly id: number
  /** `***` if there is one. */
  readonly password: string | null
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

/**
 * A page shows monitors of its own account only; one that is removed leaves it. Pages are served by `createPage` with
 * `publicPages: true`.
 */
export interface PublicPageServices {
  /** @throws ValidationError with every problem at once, ConflictError `slug_taken`, `quota` */
  create(input: PublicPageInput): Promise<PublicPageView>
  get(id: number): Promise<PublicPageView>
  /** Lowest id first. */
  list(filter?: PageOptions): Promise<Page<PublicPageView>>
  /** @throws ConflictError `slug_taken`, `version_mismatch` */
  update(id: number, patch: PublicPagePatch, options?: VersionOptions): Promise<PublicPageView>
  /** The address is free from then on; reports stay on the other pages they are on. */
  remove(id: number, options?: VersionOptions): Promise<void>
}
