/** Approvals: which actions a second person may have to approve, how each is shown, and the settings of an app that demand them. */

import { z } from 'zod';
import { riskLevels } from '../engines/aml/risk.ts';
import { showId } from '../foundation/ids.ts';
import { approvalStatus } from '../schema/approvals.ts';
import type { AppSettings, SettingsPatch } from '../schema/apps.ts';
import { AMOUNT_MAX, amount, cleanText, instant, instantOrNull, kobo, naira, showInstant, showInstantOrNull, text } from './fields.ts';
import { outside, outsideSettings, showOutside } from './outside.ts';
import { page } from './queries.ts';

/** Decided by people of the app. */
export const ownActions = ['start_batch', 'reveal', 'export', 'change_settings'] as const;
/** Decided by administrators of the deployment. */
export const adminActions = ['top_up', 'change_prices', 'delete_app'] as const;

export type OwnAction = (typeof ownActions)[number];
export type AdminAction = (typeof adminActions)[number];
export type ApprovalAction = OwnAction | AdminAction;

export const isOwnAction = (action: ApprovalAction): action is OwnAction => (ownActions as readonly string[]).includes(action);

export type ApprovalStatus = (typeof approvalStatus.enumValues)[number];

/** As it is stored and opened, with the names of the people in it. */
export interface ApprovalRow {
  id: string;
  appId: string;
  live: boolean | null;
  action: ApprovalAction;
  status: ApprovalStatus;
  target: string;
  amountKobo: number | null;
  askedKind: 'key' | 'person' | 'operator';
  askedId: string;
  askedPerson: string | null;
  askedName: string | null;
  terms: Record<string, unknown>;
  reason: string | null;
  /** What must still hold when it is approved; not shown. */
  state: string | null;
  declineReason: string | null;
  askedAt: string;
  expiresAt: string;
  decidedBy: string | null;
  decidedName: string | null;
  decidedAt: string | null;
  usableUntil: string | null;
}

/** What a message about it needs: nothing that is encrypted. */
export type AnnouncedApproval = Omit<ApprovalRow, 'terms' | 'reason' | 'state' | 'declineReason' | 'askedName' | 'decidedName'>;

const filters = {
  status: z.enum(approvalStatus.enumValues).optional().describe('Only these'),
  target: z.string().max(100).optional().describe('Only about this: bat_…, job_…, app_…'),
  ...page,
};

export const approvalsQuery = z.object({ action: z.enum(ownActions).optional().describe('Only these'), ...filters });
export const adminApprovalsQuery = z.object({ action: z.enum(adminActions).optional().describe('Only these'), ...filters });

export const declineBody = z.strictObject({ reason: cleanText(500) });

/** What its events say: no names, no reasons. */
export const showAnnounced = (row: AnnouncedApproval) => ({
  id: showId('apr', row.id),
  object: 'approval' as const,
  action: row.action,
  status: row.status,
  target: row.target,
  live: row.live,
  amount: row.amountKobo === null ? null : naira(row.amountKobo),
  asked_by: { kind: row.askedKind, id: row.askedId },
  asked_at: showInstant(row.askedAt),
  expires_at: showInstant(row.expiresAt),
  decided_by: row.decidedBy === null ? null : { kind: 'person' as const, id: showId('per', row.decidedBy) },
  decided_at: showInstantOrNull(row.decidedAt),
});

export function showApproval(row: ApprovalRow): z.infer<typeof approvalAnswer> {
  const shown = showAnnounced(row);
  return {
    ...shown,
    app: showId('app', row.appId),
    terms: row.terms,
    reason: row.reason,
    asked_by: { ...shown.asked_by, name: row.askedName },
    decided_by: shown.decided_by && { ...shown.decided_by, name: row.decidedName },
    decline_reason: row.declineReason,
    usable_until: showInstantOrNull(row.usableUntil),
  };
}

const name = text
  .nullable()
  .describe('As it is now; of a person without a name, the e-mail address. Null: a key without a name, or a person who has left');

export const approvalAnswer = z.object({
  id: text.describe('apr_…'),
  object: z.literal('approval'),
  app: text.describe('app_…'),
  live: z.boolean().nullable().describe('null: it concerns both modes'),
  action: z.enum([...ownActions, ...adminActions]),
  status: z
    .enum(approvalStatus.enumValues)
    .describe('`void`: what it was about had changed, or whoever asked may no longer ask for it; nothing was done'),
  target: text.describe('What it is about: bat_…, job_…, app_…'),
  amount: amount.nullable(),
  terms: z.record(z.string(), z.unknown()).describe('What exactly is asked for, such as a price or settings'),
  reason: text
    .nullable()
    .describe('Given by whoever asked. That of a reveal is shown to them, and with the scope `approve` or `audit:read`'),
  asked_by: z.object({ kind: z.enum(['key', 'person', 'operator']), id: text, name }),
  asked_at: instant,
  expires_at: instant.describe('Undecided by then, it is over'),
  decided_by: z.object({ kind: z.literal('person'), id: text, name }).nullable(),
  decided_at: instantOrNull,
  decline_reason: text.nullable(),
  usable_until: instantOrNull.describe('An approved reveal or export: how long the person who asked may use it'),
});

const settings = {
  approvals: z.object({
    batch_start_above_kobo: z
      .int('must be a whole number of kobo')
      .min(0)
      .max(kobo(AMOUNT_MAX))
      .nullable()
      .describe('A batch whose quote is above this needs an approval to start; null: none does'),
    reveal: z.boolean().describe('A person needs an approval to see a job in clear'),
    export: z.boolean().describe('Downloading files of personal data, or making links to them, needs an approval'),
  }),
  reveal_needs_reason: z.boolean().describe('A person must say why, to see a job in clear'),
  second_factor_required: z.boolean().describe('People need a second factor to act for the app'),
  outside,
};

export const settingsAnswer = z.object({
  object: z.literal('settings'),
  ...settings,
  consent_required: z
    .boolean()
    .describe('Live checks must state the consent of the subject, or another lawful basis; the operator decides'),
  reviews: z
    .object({
      face: z.boolean(),
      liveness: z.boolean(),
      aml_level: z.enum(riskLevels).nullable().describe('Screenings with hits at this risk or above open one; null: none does'),
      two_person: z.boolean().describe('Two people decide a case, and nobody clears a hit before they have'),
    })
    .describe('Which results open a review case; the operator sets it'),
});

/** Members that are absent stay as they are. */
export const settingsPatch = z
  .strictObject({
    ...settings,
    approvals: z.strictObject(settings.approvals.shape).partial(),
    outside: z.strictObject(outside.shape).partial(),
  })
  .partial()
  .refine(
    ({ approvals = {}, outside: out = {}, ...rest }) => Object.keys({ ...approvals, ...out, ...rest }).length > 0,
    'must change something',
  );

/** `isOutsideAllowed`: CONFAM_EMAIL_OUTSIDE. */
export const showSettings = (set: AppSettings, isOutsideAllowed: boolean): z.infer<typeof settingsAnswer> => ({
  object: 'settings',
  approvals: {
    batch_start_above_kobo: set.approveStartAboveKobo ?? null,
    reveal: set.approveReveal ?? false,
    export: set.approveExport ?? false,
  },
  reveal_needs_reason: set.revealNeedsReason ?? false,
  second_factor_required: set.secondFactorRequired ?? false,
  outside: showOutside(set, isOutsideAllowed),
  consent_required: set.consentRequired ?? false,
  reviews: {
    face: set.reviews?.face ?? false,
    liveness: set.reviews?.liveness ?? false,
    aml_level: set.reviews?.amlLevel ?? null,
    two_person: set.reviews?.twoPerson ?? false,
  },
});

/** The settings that a patch changes; null restores the default. */
export function settingsOf(patch: z.infer<typeof settingsPatch>): SettingsPatch {
  const { batch_start_above_kobo: above, reveal, export: exports } = patch.approvals ?? {};
  return {
    ...(above !== undefined && { approveStartAboveKobo: above }),
    ...(reveal !== undefined && { approveReveal: reveal }),
    ...(exports !== undefined && { approveExport: exports }),
    ...(patch.reveal_needs_reason !== undefined && { revealNeedsReason: patch.reveal_needs_reason }),
    ...(patch.second_factor_required !== undefined && { secondFactorRequired: patch.second_factor_required }),
    ...outsideSettings(patch.outside ?? {}),
  };
}

/** Whether something that needs an approval, a reason or a second factor now would need none afterwards, or what stays inside now would go outside. */
export function loosens(now: AppSettings, next: SettingsPatch, isOutsideAllowed: boolean): boolean {
  const [limit, raised] = [now.approveStartAboveKobo, next.approveStartAboveKobo];
  const isRaised = limit !== undefined && raised !== undefined && (raised === null || raised > limit);
  const flags = ['approveReveal', 'approveExport', 'revealNeedsReason', 'secondFactorRequired'] as const;
  const isOut = { emailBreaches: isOutsideAllowed, emailMailboxes: isOutsideAllowed, shareCache: false, ...now };
  const opens = (['emailBreaches', 'emailMailboxes', 'shareCache'] as const).some((flag) => !isOut[flag] && next[flag] === true);
  return isRaised || opens || flags.some((flag) => now[flag] === true && next[flag] === false);
}

/** The current values of the settings that a patch would change. If they have changed by the time of the approval, the approval is void. */
export const stateOf = (now: AppSettings, next: SettingsPatch): string =>
  JSON.stringify(Object.keys(next).map((name) => now[name as keyof AppSettings] ?? null));

/** Whether anything in the app needs an approval; only then does loosening need one. */
export const hasApprovals = ({ approveStartAboveKobo, approveReveal, approveExport }: AppSettings): boolean =>
  approveStartAboveKobo !== undefined || approveReveal === true || approveExport === true;
