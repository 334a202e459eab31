/** Disks of a given size; only root on Linux can make them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  path: string;
  remove(): void;
}

/** `size` in mount's notation, such as `1m`. */
export function makeSmallDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'confam-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=711`, 'tmpfs', path], { stdio: 'ignore' });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  return {
    path,
    remove() {
      execFileSync('umount', [path]);
      rmSync(path, { recursive: true });
    },
  };
}

/** Leaves no room for another byte. */
export function fillDisk({ path }: SmallDisk): void {
  try {
    for (let i = 0; ; i++) writeFileSync(join(path, `filler-${i}`), Buffer.alloc(1024 * 1024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

export function canMakeSmallDisks(): boolean {
  try {
    makeSmallDisk('64k').remove();
    return true;
  } catch {
    return false;
  }
}
