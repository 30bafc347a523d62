import { describe, expect, it } from 'vitest'
import { busyBetween, cpuMeter, readMemAvailable } from '../../src/resources-agent/meter.ts'
import { readMounts } from '../../src/resources-agent/disks.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

describe('the use of the processors', () => {
  it.each([
    [{ busy: 0, total: 0 }, { busy: 25, total: 100 }, 25],
    [{ busy: 10, total: 100 }, { busy: 10, total: 200 }, 0],
    [{ busy: 10, total: 100 }, { busy: 110, total: 200 }, 100],
    [{ busy: 0, total: 0 }, { busy: 1, total: 3 }, 33.33],
    [{ busy: 10, total: 100 }, { busy: 10, total: 100 }, null],
    [{ busy: 10, total: 100 }, { busy: 5, total: 200 }, null],
    [{ busy: 0, total: 0 }, { busy: 0, total: 0 }, null],
  ])('from %j to %j is %s', (from, to, expected) => {
    expect(busyBetween(from, to)).toBe(expected)
  })

  it('is that since the last call, and the first call waits for a window of its own', async () => {
    const clock = simulatedClock()
    const readings = [
      { busy: 100, total: 1000 },
      { busy: 110, total: 1020 },
      { busy: 110, total: 1120 },
    ]
    let read = 0
    const measure = cpuMeter(clock, () => readings[read++]!)
    const first = measure()
    await clock.settle()
    expect(read).toBe(1)
    await clock.advance(200)
    expect(await first).toBe(50)
    // Too soon for a figure of its own.
    await clock.advance(20)
    expect(await measure()).toBe(50)
    expect(read).toBe(2)
    await clock.advance(60_000)
    expect(await measure()).toBe(0)
    expect(clock.pending).toBe(0)
  })
})

describe('the memory of Linux', () => {
  it.each([
    [
      'MemTotal:       49368192 kB\nMemFree:  1 kB\nMemAvailable:   47012345 kB\n',
      47_012_345 * 1024,
    ],
    ['MemTotal:       49368192 kB\nMemFree:  1 kB\n', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(readMemAvailable(text)).toBe(expected)
  })
})

describe('the mounts of Linux', () => {
  it('are those of local disks, once per device', () => {
    const table = [
      'proc /proc proc rw 0 0',
      '/dev/vda1 /etc/resolv.conf ext4 rw 0 0',
      '/dev/vda1 / ext4 rw 0 0',
      '/dev/vda1 /etc/hosts ext4 rw 0 0',
      '/dev/mapper/data /srv/my\\040files xfs rw 0 0',
      '/dev/loop3 /snap/core squashfs ro 0 0',
      '/dev/sr0 /media/cd iso9660 ro 0 0',
      'overlay /var/lib/x overlay rw 0 0',
      'tmpfs /tmp tmpfs rw 0 0',
      'server:/export /mnt/nfs nfs4 rw 0 0',
      'tank/home /home zfs rw 0 0',
      '',
    ].join('\n')
    expect(readMounts(table)).toEqual(['/', '/home', '/srv/my files'])
    expect(readMounts('')).toEqual([])
  })
})
