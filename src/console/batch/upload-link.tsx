/** The link to the upload page, for people who may upload. */
import { may } from '../state.ts';

export const UploadLink = () =>
  may('batches:write', 'wallet:read') ? (
    <div class="actions">
      <a class="button main" href="upload">
        Upload a file
      </a>
    </div>
  ) : null;
