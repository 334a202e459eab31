/** The lists that addresses are checked against: the packages' own and the operator's. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildDomainSet } from '../../../src/engines/email/domain-set.ts';
import { type ListsOptions, openLists } from '../../../src/engines/email/lists.ts';
import { waitFor } from '../../setup/database.ts';

async function open(options: ListsOptions = {}) {
  const lists = await openLists(options);
  onTestFinished(() => lists.close());
  return lists;
}

async function folderWith(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'confam-lists-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('a set of domains', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `d${i}.example`);

  test('contains its members and nothing else, and subdomains only on request', () => {
    const set = buildDomainSet([...names, ...names.slice(0, 100)]);
    expect(set.size).toBe(names.length);
    expect(names.every((name) => set.find(name) === 'listed')).toBe(true);
    expect(names.filter((name) => set.findWithParents(`x${name}`) !== undefined)).toEqual([]);
    expect(set.findWithParents('a.b.d7.example')).toBe('listed');
    expect(set.find('a.b.d7.example')).toBeUndefined();
    expect(set.findWithParents('example')).toBeUndefined();
  });

  test('goes by the nearest parent domain', () => {
    const set = buildDomainSet(['bad.example', '!good.bad.example']);
    expect(set.findWithParents('x.bad.example')).toBe('listed');
    expect(set.findWithParents('x.good.bad.example')).toBe('removed');
  });
});

describe('the packages', () => {
  test('form one list of disposable domains, with all subdomains', async () => {
    const lists = await open();
    for (const domain of [
      'mailinator.com',
      'inbox.mailinator.com',
      'yopmail.com',
      'guerrillamail.com',
      '10minutemail.com',
      'temp-mail.org',
    ])
      expect(lists.isDisposable(domain), domain).toBe(true);
    // Well-known mailboxes, and the public suffixes that some list names: domains registered under them are not disposable.
    const honest = [
      'gmail.com',
      'yahoo.com',
      'yahoo.co.uk',
      'outlook.com',
      'hotmail.com',
      'icloud.com',
      'proton.me',
      'zoho.com',
      'gtbank.com',
    ];
    for (const domain of [...honest, 'duck.com', 'consultant.com', 'example.com', 'shop.my.id', 'shop.web.id', 'com.ng'])
      expect(lists.isDisposable(domain), domain).toBe(false);
  });

  test('know free providers, role names, hosts of disposable services and abused top-level domains', async () => {
    const lists = await open();
    for (const domain of ['gmail.com', 'yahoo.com', 'yahoo.fr', 'outlook.com', 'protonmail.com', 'fastmail.com', 'skannet.com'])
      expect(lists.isFree(domain), domain).toBe(true);
    for (const domain of ['gtbank.com', 'example.com', 'mail.gmail.com']) expect(lists.isFree(domain), domain).toBe(false);
    for (const role of ['info', 'admin', 'support', 'noreply', 'registrar', 'bursar']) expect(lists.isRole(role), role).toBe(true);
    for (const name of ['chidi', 'adebayo', 'ngozi', 'musa', 'blessing', 'sunday', 'emeka.obi'])
      expect(lists.isRole(name), name).toBe(false);
    expect(lists.isDisposableMx('mail.wabblywabble.com')).toBe(true);
    expect(lists.isDisposableMx('mx.mailinator.com')).toBe(true);
    expect(lists.isDisposableMx('aspmx.l.google.com')).toBe(false);
    expect(lists.isSuspiciousTld('shop.tk')).toBe(true);
    expect(lists.isSuspiciousTld('shop.com.ng')).toBe(false);
  });

  test('need three votes for a domain that looks like a slip, and none for a name that says what it is', async () => {
    const lists = await open();
    // On two lists, on three, on our own.
    expect([lists.isDisposable('putlook.com'), lists.isSurelyDisposable('putlook.com')]).toEqual([true, false]);
    for (const domain of ['gotmail.com', 'tempmail.com']) expect(lists.isSurelyDisposable(domain), domain).toBe(true);
    expect(lists.isDisposable('my-tempmail-box.ng')).toBe(true);
    for (const domain of ['templemail.ng', 'minutemanpress.com.ng', 'contemporary-mail.com'])
      expect(lists.isDisposable(domain), domain).toBe(false);
    const corrected = await open({ listsFolder: await folderWith({ 'disposable.txt': '!my-tempmail-box.ng\nputlook.com' }) });
    expect([corrected.isDisposable('my-tempmail-box.ng'), corrected.isSurelyDisposable('putlook.com')]).toEqual([false, true]);
  });

  test('take offices for roles as Nigerian organizations write them, and people for people', async () => {
    const lists = await open();
    for (const role of [
      'vc.office',
      'md.office',
      'deanofstudents',
      'studentaffairs',
      'hod.physics',
      'ikeja.branch',
      'permanent.secretary',
      'branch042',
    ])
      expect(lists.isRole(role), role).toBe(true);
    for (const name of ['md.lawal', 'md1990', 'mdsalisu', 'dean.smith', 'pro2000', 'itoro', 'paris', 'deanwest'])
      expect(lists.isRole(name), name).toBe(false);
  });

  test('call nothing disposable on the word of one list, unless the name itself says so', async () => {
    const lists = await open();
    for (const domain of ['nus.edu.sg', 'hush.com', 'dr.com', 'techie.com', 'writeme.com', 'contractor.net', 'consultant.com']) {
      expect(lists.isDisposable(domain), domain).toBe(false);
      expect(lists.isSuspectedDisposable(domain), `${domain}, suspected`).toBe(false);
    }
    const folder = await folderWith({ 'disposable.txt': 'nus.edu.sg\naddy.io' });
    const own = await open({ listsFolder: folder });
    expect([own.isDisposable('nus.edu.sg'), own.isDisposable('addy.io'), own.isForwarding('addy.io')]).toEqual([true, true, true]);
  });

  test('tell aliases of one’s own mailbox from throw-away mailboxes', async () => {
    const lists = await open();
    for (const domain of [
      'simplelogin.com',
      'addy.io',
      'passmail.net',
      'relay.firefox.com',
      'ada.anonaddy.me',
      'opayq.com',
      'duck.com',
      'mozmail.com',
    ])
      expect([lists.isForwarding(domain), lists.isDisposable(domain), lists.isFree(domain)], domain).toEqual([true, false, false]);
    for (const domain of ['gmail.com', 'mailinator.com', 'gtbank.com']) expect(lists.isForwarding(domain), domain).toBe(false);
  });

  test('recognize an office by its words', async () => {
    const lists = await open();
    for (const role of ['hr.lagos', 'accounts.payable', 'customer.care', 'it-support', 'frontdesk', 'sales01', 'hr_abuja'])
      expect(lists.isRole(role), role).toBe(true);
    for (const name of ['chidi.lagos', 'it.okoro', 'musa.admin', 'sunday.obi', 'grace01', 'lagos', 'a.b', 'support.chidi'])
      expect(lists.isRole(name), name).toBe(false);
  });

  test('take any word before a place of work or a post for an office, unless it is a name', async () => {
    const lists = await open();
    for (const role of [
      'aquaculture.desk',
      'sacristyoffice',
      'sanitation.officer',
      'ps.secretariat',
      'ombudsman-unit',
      'choir',
      'parish.priest',
      'deputy.registrar',
    ])
      expect(lists.isRole(role), role).toBe(true);
    for (const name of [
      'ada.office',
      'musa.desk',
      'bolajioffice',
      'k.office',
      'bala.supervisor',
      'pastor.mike',
      'chief.okafor',
      'priest',
      'captain.junior',
    ])
      expect(lists.isRole(name), name).toBe(false);
  });

  test('are counted by source', async () => {
    const counts = (await open()).listCounts();
    expect(counts.map(({ list }) => list)).toEqual(['disposable', 'disposable_mx', 'forwarding', 'free', 'roles', 'tlds']);
    const [disposable] = counts;
    expect(disposable!.total).toBeGreaterThan(150_000);
    const bySource = Object.values(disposable!.sources).reduce((sum, count) => sum + count, 0);
    expect(bySource).toBeGreaterThan(disposable!.total);
    for (const source of ['disposable-email-domains', 'disposable-email-domains-js', 'mailchecker', 'fakefilter'])
      expect(disposable!.sources[source], source).toBeGreaterThan(4_000);
  });
});

describe("an operator's files", () => {
  test('add and remove domains, and override the packages', async () => {
    const listsFolder = await folderWith({
      'disposable.txt': '# ours\nthrowaway.example # seen in May\n!yopmail.com\nBÜCHER.example\r\n\n',
      'free.txt': 'nairamail.example',
      'roles.txt': 'oga\n!info',
      'tlds.txt': 'example\n!tk',
      'disposable_mx.txt': 'mx.throwaway.example',
    });
    const lists = await open({ listsFolder });
    expect(lists.isDisposable('a.throwaway.example')).toBe(true);
    expect(lists.isDisposable('xn--bcher-kva.example')).toBe(true);
    expect(lists.isDisposable('yopmail.com')).toBe(false);
    expect(lists.isDisposable('mailinator.com')).toBe(true);
    expect([lists.isFree('nairamail.example'), lists.isRole('oga'), lists.isRole('info')]).toEqual([true, true, false]);
    expect([lists.isSuspiciousTld('a.example'), lists.isSuspiciousTld('a.tk')]).toEqual([true, false]);
    expect(lists.isDisposableMx('mx.throwaway.example')).toBe(true);
    expect(lists.listCounts()[0]!.sources.folder).toBe(3);
  });

  test('are read again when they change, appear or disappear', async () => {
    const listsFolder = await folderWith({ 'disposable.txt': 'one.example\n' });
    const lists = await open({ listsFolder, checkEveryMs: 20 });
    expect(lists.isDisposable('one.example')).toBe(true);
    await writeFile(join(listsFolder, 'disposable.txt'), 'two.example\nthree.example\n');
    await waitFor('the changed list', () => lists.isDisposable('two.example') && !lists.isDisposable('one.example'));
    await writeFile(join(listsFolder, 'free.txt'), 'nairamail.example');
    await waitFor('the changed list', () => lists.isFree('nairamail.example'));
    await rm(join(listsFolder, 'free.txt'));
    await waitFor('the changed list', () => !lists.isFree('nairamail.example'));
  });

  test('that are unreadable are reported, and the rest still applies', async () => {
    const listsFolder = await folderWith({ 'disposable.txt': 'one.example' });
    await mkdir(join(listsFolder, 'roles.txt'));
    const read = new Map<string, number | Error>();
    const lists = await open({ listsFolder, onRead: (list, outcome) => read.set(list, outcome) });
    expect(read.get('disposable')).toBe(1);
    expect(read.get('roles')).toBeInstanceOf(Error);
    expect([lists.isDisposable('one.example'), lists.isRole('info')]).toEqual([true, true]);
  });
});
