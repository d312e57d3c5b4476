// Adds the thumbnail of a YouTube or Vimeo video to the image library. Requests to these services
// have the same protection as requests to any URL that a user enters.
import { z } from 'zod';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Image } from '../../contract.ts';
import { MAX_IMAGE_BYTES } from '../../shared.ts';
import { type Video, parseVideo } from '../../video-address.ts';
import { fetchPublic } from '../website/fetch-public.ts';
import { type ImageCrop, cropImageFile } from './image-file.ts';
import { runInTurn } from './image-queue.ts';
import { uploadImage } from './images.ts';

/** Hosts of the services; tests use local servers. */
export type VideoHosts = { youtube: string; youtubeImages: string; vimeo: string };
const HOSTS: VideoHosts = {
  youtube: 'https://www.youtube.com',
  youtubeImages: 'https://i.ytimg.com',
  vimeo: 'https://vimeo.com',
};

const TIMEOUT_MS = 12_000;
const MAX_FACTS_BYTES = 256 * 1024;
const MAX_TITLE_LENGTH = 200;

const VideoInfo = z.object({ title: z.string().catch(''), thumbnail_url: z.string().catch('') });
type VideoInfo = z.infer<typeof VideoInfo>;

/**
 * Adds the thumbnail to the library. @throws `video_unknown` if the URL is not that of a YouTube or
 * Vimeo video, `video_unavailable` if the video is private or deleted
 */
export async function importVideoThumbnail(
  db: Db,
  caller: Actor,
  address: string,
  hosts: VideoHosts = HOSTS,
): Promise<{ image: Image; title: string }> {
  const video = parseVideo(address);
  if (!video) throw new AppError('video_unknown');
  const deadline = Date.now() + TIMEOUT_MS;
  const info = await fetchInfo(video, hosts, deadline);
  const image = await uploadImage(db, caller, async () => {
    const bytes = await fetchThumbnail(video, info, {
      hosts,
      deadline,
      accountId: caller.accountId,
    });
    if (!bytes) throw new AppError('video_unavailable');
    return { name: info.title || `${video.service} ${video.id}`, bytes };
  });
  return { image, title: info.title };
}

/** Fetches the title, and for Vimeo the address of the thumbnail (oEmbed). */
async function fetchInfo(video: Video, hosts: VideoHosts, deadline: number): Promise<VideoInfo> {
  const query = new URLSearchParams({ url: video.page, format: 'json', width: '1280' });
  const address =
    video.service === 'youtube'
      ? `${hosts.youtube}/oembed?${query}`
      : `${hosts.vimeo}/api/oembed.json?${query}`;
  const limits = { deadline, maxBytes: MAX_FACTS_BYTES, accept: 'application/json' };
  const response = await fetchPublic(address, limits);
  const { title, thumbnail_url } = VideoInfo.catch({ title: '', thumbnail_url: '' }).parse(
    parseJson(response?.body),
  );
  return { title: clean(title), thumbnail_url };
}

/** Removes control characters and unpaired surrogates, which cannot be stored or shown. */
function clean(title: string): string {
  const line = title
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.slice(0, MAX_TITLE_LENGTH).toWellFormed();
}

function parseJson(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString() ?? '');
  } catch {
    return undefined;
  }
}

/** YouTube's thumbnail files, largest first. `crop` removes black bars above and below. */
const YOUTUBE_SIZES: { name: string; crop?: ImageCrop }[] = [
  { name: 'maxresdefault' },
  { name: 'sddefault', crop: { left: 0, top: 60, width: 640, height: 360 } },
  { name: 'hqdefault', crop: { left: 0, top: 45, width: 480, height: 270 } },
];

type Lookup = { hosts: VideoHosts; deadline: number; accountId: number };

async function fetchThumbnail(
  video: Video,
  info: VideoInfo,
  lookup: Lookup,
): Promise<Buffer | undefined> {
  const limits = { deadline: lookup.deadline, maxBytes: MAX_IMAGE_BYTES + 1, accept: 'image/*' };
  if (video.service === 'vimeo') {
    if (!URL.canParse(info.thumbnail_url)) return undefined;
    return (await fetchPublic(info.thumbnail_url, limits))?.body;
  }
  for (const { name, crop } of YOUTUBE_SIZES) {
    const response = await fetchPublic(
      `${lookup.hosts.youtubeImages}/vi/${video.id}/${name}.jpg`,
      limits,
    );
    if (!response) continue;
    if (!crop) return response.body;
    return runInTurn(
      lookup.accountId,
      async () => (await cropImageFile(response.body, crop)).bytes,
    );
  }
  return undefined;
}
