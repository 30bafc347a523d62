export default {
  // Loaded by Node.js at run time, with its drivers, instead of being bundled.
  serverExternalPackages: ['watchpost'],
  // Relative links of the status page need the slash at the end of `/status/`.
  skipTrailingSlashRedirect: true,
}
