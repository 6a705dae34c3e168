#pragma once
// Linking this target makes free() and realloc() overwrite what they release. It has no calls of its own.
