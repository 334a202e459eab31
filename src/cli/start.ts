/** `confam start`, apart from the commands that load the service: see `workers/start.ts`. */
import type { Command } from 'commander';
import { start } from '../../workers/start.ts';

export const addStart = (command: Command): void => void command.action(start);
