/**
 * Print: without controls, and without page breaks inside elements. Comes last to override other rules.
 *
 * @module
 */

export const PRINT = `@media print{
.top nav,.top form,.filter,.actions,.headline form,.choices,.pages,.news,.foot form,#live{display:none}
body{print-color-adjust:exact}
li,tr,figure{break-inside:avoid}
h2{break-after:avoid}
}
`
