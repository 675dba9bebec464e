// The page of an NFT needs a script to share it alone.

import { sharing } from "./share.ts";
import { find } from "./shown.ts";

sharing(find("share"), document.title, location.pathname);
