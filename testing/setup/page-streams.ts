// Adds the browser's streams to a page because jsdom lacks them and only Node's own realm has them.
import * as streams from 'node:stream/web';

const { ReadableStream, TextDecoderStream, TextEncoderStream } = streams;
Object.assign(globalThis, { ReadableStream, TextDecoderStream, TextEncoderStream });
