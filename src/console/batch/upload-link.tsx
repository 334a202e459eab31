/** To where a file is sent, for those who may send one. */
import { may } from '../state.ts';

export const UploadLink = () =>
  may('batches:write', 'wallet:read') ? (
    <div class="actions">
      <a class="button main" href="upload">
        Upload a file
      </a>
    </div>
  ) : null;
