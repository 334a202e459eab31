/** Questions to people, on standard error so that standard output stays clean: yes or no, a line, and a line that must not be seen. */
import { createInterface } from 'node:readline';
import { CommandError } from './exits.ts';

/** Whether somebody is there to answer. */
export const isAttended = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

export async function ask(question: string, fallback = ''): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new CommandError('interrupted', '\nStopped.')));
      reader.once('close', () => resolve(fallback));
      reader.question(fallback === '' ? `${question}: ` : `${question} [${fallback}]: `, (text) => resolve(text.trim() || fallback));
    });
  } finally {
    reader.close();
  }
}

export const confirm = async (question: string): Promise<boolean> => /^y(es)?$/i.test(await ask(`${question} [y/N]`));

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f'];

/** Without echo, which ends before the question is shown. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(`${question}: `);
  let onText: (text: string) => void = () => {};
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed = '';
      onText = (text) => {
        for (const letter of text) {
          if (letter === '\r' || letter === '\n' || letter === CTRL_D) return resolve(typed.trim());
          if (letter === CTRL_C) return reject(new CommandError('interrupted', 'Stopped.'));
          typed = letter === BACKSPACE || letter === DELETE ? typed.slice(0, -1) : typed + letter;
        }
      };
      stdin.on('data', onText);
      stdin.resume();
    });
  } finally {
    stdin.off('data', onText);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** Everything on standard input. */
export async function readInput(bytesMax: number): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece as string;
    if (text.length > bytesMax) throw new CommandError('usage', 'Standard input has more than was expected.');
  }
  return text.trim();
}
