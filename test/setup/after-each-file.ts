import { afterAll } from 'vitest';
import { closeTerminals } from './terminal.js';

afterAll(closeTerminals);
