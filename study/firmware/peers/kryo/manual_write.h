/* What the hand-written writers of objects with fields share. */
#ifndef HW_PEERS_KRYO_MANUAL_WRITE_H
#define HW_PEERS_KRYO_MANUAL_WRITE_H

#include "peers/kryo/manual_parts.h"
#include "peers/kryo/writer.h"

#define STRING(object, name) kryo_write_string(writer, AT(object, hw_ref, name))
#define VARINT(object, name) write_varint(writer, AT(object, uint32_t, name))
#define PRIMITIVE(object, name, type) write_known(writer, hw_pointer((object) + HW_CLASS_##name), type)

#endif
