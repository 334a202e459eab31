/** Invites somebody to an app: asks for their address and role, and shows their link once. */
import { useState } from 'preact/hooks';
import type { Role } from '../../client/people.ts';
import type { OwnKey } from '../../client/transport.ts';
import { Notice } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choices, Copyable, textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { roles, roleWords } from '../words.ts';

export const RoleChoice = ({ chosen, onChange }: { chosen: Role; onChange: (role: Role) => void }) => (
  <Choices
    legend="Role"
    type="radio"
    name="role"
    options={roles.map((role) => ({ value: role, label: roleWords[role].word, note: roleWords[role].may }))}
    chosen={[chosen]}
    onChange={([role]) => onChange(role as Role)}
  />
);

/** `first`: the role that is offered at first. */
export function InviteDialog({
  first = 'operator',
  onClose,
  onInvite,
}: {
  first?: Role;
  onClose: () => void;
  onInvite: (email: string, role: Role, options: OwnKey) => Promise<void>;
}) {
  const [role, setRole] = useState<Role>(first);
  return (
    <FormDialog
      title="Invite somebody"
      verb="Make the link"
      onClose={onClose}
      onSubmit={(entered, idempotencyKey) => onInvite(textIn(entered, 'email'), role, { idempotencyKey })}
    >
      <label class="field">
        <span>E-mail address</span>
        <input name="email" type="email" required maxLength={254} autocomplete="off" />
      </label>
      <RoleChoice chosen={role} onChange={setRole} />
    </FormDialog>
  );
}

export const InvitationLink = ({ email, link, onClose }: { email: string; link: string; onClose: () => void }) => (
  <Dialog title="The invitation is ready" onClose={null}>
    <p>Give this link to {email}, through a channel that only they can read. Confam sends no mail.</p>
    <Copyable label="Link" value={link} />
    <Notice tone="warn" title="It is shown only once, works once, and expires in a week." />
    <div class="actions">
      <button type="button" class="main" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
);
