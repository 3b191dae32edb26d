/* Constants of enums. Each is one object per heap, so that every reader gets the same object.
 *
 * Their fields beyond name and ordinal are zero, because nothing runs the constructors. A constant with a body is an
 * object of the enum class itself here.
 */
#ifndef HW_RUNTIME_JAVA_ENUM_H
#define HW_RUNTIME_JAVA_ENUM_H

#include <stdbool.h>

#include "runtime/handle.h"
#include "runtime/java/serial.h"

/* Makes the constants of all enums of the tables. Call it after hw_heap_init and hw_classes_init. A global handle keeps
 * the constants alive. Returns false with an exception if there is no room. */
bool hw_enums_init(void);

extern hw_handle hw_enums;

/* Returns a constant by its place among those of all enums (first_constant + ordinal). Valid until the next
 * safepoint. */
static inline hw_ref hw_enum_constant(uint32_t place) {
    return ((const hw_ref *)((const char *)hw_handle_object(hw_enums) + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[place];
}

#endif
