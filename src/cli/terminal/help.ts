/** How help is laid out: a command's own flags first, those that every command has last. */
import { Help, type HelpConfiguration } from 'commander';

export const COMMON_OPTIONS = 'In every command:';

export const helpLayout: HelpConfiguration = {
  groupItems(all, visible, partOf) {
    const parts = new Help().groupItems(all, visible, partOf);
    const common = parts.get(COMMON_OPTIONS);
    if (common && parts.delete(COMMON_OPTIONS)) parts.set(COMMON_OPTIONS, common);
    return parts;
  },
};
