// The page of an NFT needs a script to share it, and to show its picture once that is revealed.

import { localTimes } from "./countdown.ts";
import { keepPixels } from "./pixels.ts";
import { awaitReveal, hiddenMoments } from "./reveal.ts";
import { sharing } from "./share.ts";
import { find } from "./shown.ts";
import { playSounds } from "./sound.ts";

localTimes();
hiddenMoments();
awaitReveal(async () => playSounds());
keepPixels();
playSounds();
sharing(find("share"), document.title, location.pathname);
