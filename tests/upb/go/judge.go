// Go reads and makes the structs of the engine, at the same addresses (GOARCH=386). Each request is a letter and words.
//
//	'T' count, {bytes, words of presence, cases, fields, {number, type, repeated, packed, offset, hasbit, presence,
//	    case, type of its messages, values of its closed enum, these values*}*}*   declares the types
//	'L' address, length, bytes           writes memory
//	'R' address, length                  -> bytes
//	'M' type, length                     decodes the input at INPUT, into memory from FIXED on; strings stay there
//	                                     -> status, and the struct's address, the end of what was used
//	'C' type, address                    encodes a struct -> 0, 0, length, the encoding
//
// Structs are reflect's, so their layout is the compiler's: it must be the one that the tables say.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"syscall"
	"unsafe"
)

const (
	slice                  = 4 << 20
	input, fixed, flexible = 0x44000000, 0x48000000, 0x4C000000
	fixedNoReplace         = 0x100000
)

const (
	hasbit = iota
	implicit
	reference
	inCase
	always
	required
)

type field struct {
	number, kind, repeated, packed, offset, hasbit, presence, inCase, sub, index int
	// The values of a closed enum.
	values map[int32]bool
}

type message struct {
	size   int
	cases  int
	fields []field
	layout reflect.Type
}

var (
	in     = bufio.NewReaderSize(os.Stdin, 1<<16)
	out    = bufio.NewWriterSize(os.Stdout, 1<<16)
	types  []message
	top    uintptr
	goType = map[int]reflect.Type{
		1: reflect.TypeOf(float64(0)), 2: reflect.TypeOf(float32(0)), 3: reflect.TypeOf(int64(0)),
		4: reflect.TypeOf(uint64(0)), 5: reflect.TypeOf(int32(0)), 6: reflect.TypeOf(uint64(0)),
		7: reflect.TypeOf(uint32(0)), 8: reflect.TypeOf(false), 9: reflect.TypeOf(""),
		10: reflect.TypeOf(unsafe.Pointer(nil)), 11: reflect.TypeOf(unsafe.Pointer(nil)), 12: reflect.TypeOf(""),
		13: reflect.TypeOf(uint32(0)), 14: reflect.TypeOf(int32(0)), 15: reflect.TypeOf(int32(0)),
		16: reflect.TypeOf(int64(0)), 17: reflect.TypeOf(int32(0)), 18: reflect.TypeOf(int64(0))}
)

func must(good bool, what string) {
	if !good {
		panic(what)
	}
}

func word() int {
	var bytes [4]byte
	if _, err := io.ReadFull(in, bytes[:]); err != nil {
		os.Exit(0)
	}
	return int(int32(binary.LittleEndian.Uint32(bytes[:])))
}

func answer(values ...int) {
	for _, value := range values {
		var bytes [4]byte
		binary.LittleEndian.PutUint32(bytes[:], uint32(value))
		out.Write(bytes[:])
	}
}

func memory(address, length int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(uintptr(uint32(address)))), length)
}

func declare() {
	types = make([]message, word())
	for t := range types {
		m := &types[t]
		m.size = word()
		words, count := word(), 0
		m.cases, count = word(), word()
		parts := []reflect.StructField{
			{Name: "Unknown", Type: reflect.TypeOf([]byte(nil))},
			{Name: "Presence", Type: reflect.ArrayOf(words, reflect.TypeOf(uint32(0)))}}
		if m.cases > 0 {
			parts = append(parts, reflect.StructField{Name: "Cases",
				Type: reflect.ArrayOf(m.cases, reflect.TypeOf(uint32(0)))})
		}
		for ; count > 0; count-- {
			f := field{number: word(), kind: word(), repeated: word(), packed: word(), offset: word(), hasbit: word(),
				presence: word(), inCase: word(), sub: word()}
			if values := word(); values > 0 {
				f.values = map[int32]bool{}
				for ; values > 0; values-- {
					f.values[int32(word())] = true
				}
			}
			part := goType[f.kind]
			if f.repeated != 0 {
				part = reflect.SliceOf(part)
			} else if part.Size() == 8 && f.kind != 9 && f.kind != 12 {
				// Go aligns these to 4 on this machine.
				padding := reflect.StructField{Name: fmt.Sprintf("Pad%d", f.number), Type: reflect.TypeOf(uint32(0))}
				padded := append(parts[:len(parts):len(parts)], padding)
				if reflect.StructOf(padded).Field(len(parts)).Offset%8 != 0 {
					parts = padded
				}
			}
			f.index = len(parts)
			parts = append(parts, reflect.StructField{Name: fmt.Sprintf("F%d", f.number), Type: part})
			m.fields = append(m.fields, f)
		}
		m.layout = reflect.StructOf(parts)
		must(int(m.layout.Size()+7)&^7 == m.size, "the size of a struct")
		for _, f := range m.fields {
			must(int(m.layout.Field(f.index).Offset) == f.offset, "the offset of a field")
		}
	}
}

func varint(data []byte, value uint64) []byte { return binary.AppendUvarint(data, value) }

func bits(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float32:
		// Through its address, since a conversion would make its NaN quiet.
		return uint64(*(*uint32)(v.Addr().UnsafePointer()))
	case reflect.Float64:
		return math.Float64bits(*(*float64)(v.Addr().UnsafePointer()))
	case reflect.Int32, reflect.Int64:
		return uint64(v.Int())
	}
	return v.Uint()
}

func scalar(data []byte, kind int, value uint64) []byte {
	switch kind {
	case 1, 6, 16:
		return binary.LittleEndian.AppendUint64(data, value)
	case 2, 7, 15:
		return binary.LittleEndian.AppendUint32(data, uint32(value))
	case 17, 18:
		value = value<<1 ^ uint64(int64(value)>>63)
		if kind == 17 {
			value = uint64(uint32(value))
		}
	}
	return varint(data, value)
}

func wire(kind int) int {
	switch kind {
	case 1, 6, 16:
		return 1
	case 2, 7, 15:
		return 5
	case 9, 11, 12:
		return 2
	case 10:
		return 3
	}
	return 0
}

func one(data []byte, f field, v reflect.Value) []byte {
	data = varint(data, uint64(f.number)<<3|uint64(wire(f.kind)))
	switch f.kind {
	case 9, 12:
		return append(varint(data, uint64(v.Len())), v.String()...)
	case 10:
		return varint(encode(data, f.sub, v.UnsafePointer()), uint64(f.number)<<3|4)
	case 11:
		inner := encode(nil, f.sub, v.UnsafePointer())
		return append(varint(data, uint64(len(inner))), inner...)
	}
	return scalar(data, f.kind, bits(v))
}

func present(v reflect.Value, f field) bool {
	part := v.Field(f.index)
	nested := f.kind == 10 || f.kind == 11
	switch f.presence {
	case hasbit, required:
		return v.Field(1).Index(f.hasbit/32).Uint()>>(f.hasbit%32)&1 != 0
	case implicit:
		return part.Kind() == reflect.String && part.Len() > 0 || part.Kind() != reflect.String && bits(part) != 0
	case reference:
		return part.UnsafePointer() != nil
	case inCase:
		return v.Field(2).Index(f.inCase).Uint() == uint64(f.number)
	}
	return !nested || part.UnsafePointer() != nil
}

func encode(data []byte, t int, at unsafe.Pointer) []byte {
	v := reflect.NewAt(types[t].layout, at).Elem()
	for _, f := range types[t].fields {
		part := v.Field(f.index)
		if f.repeated == 0 {
			if present(v, f) {
				data = one(data, f, part)
			}
		} else if f.packed != 0 && part.Len() > 0 {
			var inner []byte
			for i := 0; i < part.Len(); i++ {
				inner = scalar(inner, f.kind, bits(part.Index(i)))
			}
			data = append(varint(varint(data, uint64(f.number)<<3|2), uint64(len(inner))), inner...)
		} else {
			for i := 0; i < part.Len(); i++ {
				data = one(data, f, part.Index(i))
			}
		}
	}
	return append(data, v.Field(0).Bytes()...)
}

func allocate(bytes int) uintptr {
	at := top
	top += uintptr(bytes+7) &^ 7
	must(top < fixed+slice, "memory is full")
	return at
}

// Returns where the next element of a slice goes.
func element(header *[3]uint32, size int) unsafe.Pointer {
	if header[1] == header[2] {
		room := 2*header[2] + 1
		at := allocate(int(room) * size)
		copy(memory(int(at), int(header[1])*size), memory(int(header[0]), int(header[1])*size))
		header[0], header[2] = uint32(at), room
	}
	header[1]++
	return unsafe.Pointer(uintptr(header[0]) + uintptr(int(header[1]-1)*size))
}

type reader struct {
	data []byte
	at   int
	bad  bool
}

// Bits beyond 64 do not count, as in all implementations.
func (r *reader) varint() (value uint64) {
	for i := 0; i < 10 && r.at < len(r.data); i++ {
		b := r.data[r.at]
		r.at++
		value |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return value
		}
	}
	r.bad = true
	return 0
}

func (r *reader) take(count uint64) []byte {
	if uint64(len(r.data)-r.at) < count {
		r.bad = true
		return nil
	}
	r.at += int(count)
	return r.data[r.at-int(count) : r.at]
}

func (r *reader) fixed(count uint64) (value uint64) {
	for i, b := range r.take(count) {
		value |= uint64(b) << (8 * i)
	}
	return value
}

func (r *reader) skip(key uint64) {
	switch key & 7 {
	case 0:
		r.varint()
	case 1:
		r.take(8)
	case 2:
		r.take(r.varint())
	case 3:
		for !r.bad {
			inner := r.varint()
			if inner == key+1 {
				return
			}
			r.skip(inner)
		}
	case 5:
		r.take(4)
	default:
		r.bad = true
	}
}

func (r *reader) scalar(kind int, to unsafe.Pointer) {
	var value uint64
	switch wire(kind) {
	case 0:
		value = r.varint()
	case 1:
		value = r.fixed(8)
	default:
		value = r.fixed(4)
	}
	switch kind {
	case 17:
		value = uint64(uint32(value))
		fallthrough
	case 18:
		value = value>>1 ^ -(value & 1)
	}
	switch size := goType[kind].Size(); {
	case kind == 8:
		*(*bool)(to) = value != 0
	case size == 8:
		*(*uint64)(to) = value
	default:
		*(*uint32)(to) = uint32(value)
	}
}

func (r *reader) value(f field, to unsafe.Pointer) {
	switch f.kind {
	case 9, 12:
		text := r.take(r.varint())
		*(*string)(to) = unsafe.String(unsafe.SliceData(text), len(text))
	case 10:
		*(*uintptr)(to) = r.message(f.sub, uint64(f.number)<<3|4)
	case 11:
		inner := reader{data: r.take(r.varint())}
		*(*uintptr)(to) = inner.message(f.sub, 0)
		r.bad = r.bad || inner.bad
	default:
		r.scalar(f.kind, to)
	}
}

// Decodes to the end, or to the key that ends a group.
func (r *reader) message(t int, end uint64) uintptr {
	m := &types[t]
	at := allocate(m.size)
	clear(memory(int(at), m.size))
	v := reflect.NewAt(m.layout, unsafe.Pointer(at)).Elem()
next:
	for !r.bad && (end != 0 || r.at < len(r.data)) {
		start := r.at
		key := r.varint()
		if end != 0 && key == end {
			return at
		}
		for _, f := range m.fields {
			if uint64(f.number) != key>>3 {
				continue
			}
			to, kind := unsafe.Pointer(at+uintptr(f.offset)), wire(f.kind)
			header := (*[3]uint32)(to)
			size := int(goType[f.kind].Size())
			if f.repeated != 0 && key&7 == 2 && (kind == 0 || kind == 1 || kind == 5) {
				inner := reader{data: r.take(r.varint())}
				for !inner.bad && inner.at < len(inner.data) {
					inner.scalar(f.kind, element(header, size))
				}
				r.bad = r.bad || inner.bad
				continue next
			}
			if int(key&7) != kind {
				break
			}
			if ahead := *r; f.values != nil && !f.values[int32(ahead.varint())] {
				break
			}
			if f.repeated != 0 {
				r.value(f, element(header, size))
				continue next
			}
			r.value(f, to)
			if f.inCase >= 0 {
				v.Field(2).Index(f.inCase).SetUint(uint64(f.number))
			} else {
				bit := v.Field(1).Index(f.hasbit / 32)
				bit.SetUint(bit.Uint() | 1<<(f.hasbit%32))
			}
			continue next
		}
		r.skip(key)
		for _, b := range r.data[start:r.at] {
			*(*byte)(element((*[3]uint32)(unsafe.Pointer(at)), 1)) = b
		}
	}
	r.bad = r.bad || end != 0
	return at
}

func main() {
	for _, base := range []uintptr{input, fixed, flexible} {
		got, _, _ := syscall.Syscall6(syscall.SYS_MMAP2, base, slice, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON|fixedNoReplace, ^uintptr(0), 0)
		must(got == base, "the engine's addresses are taken")
	}
	for {
		kind, err := in.ReadByte()
		if err != nil {
			return
		}
		if kind == 'T' {
			declare()
			continue
		}
		first, second := word(), word()
		switch kind {
		case 'L':
			_, err = io.ReadFull(in, memory(first, second))
			must(err == nil, "no more bytes")
		case 'R':
			out.Write(memory(first, second))
		case 'M':
			top = fixed
			r := reader{data: memory(input, second)}
			at := r.message(first, 0)
			status := 0
			if r.bad {
				status = 1
			}
			answer(status, int(at), int(top))
		case 'C':
			data := encode(nil, first, unsafe.Pointer(uintptr(uint32(second))))
			answer(0, 0, len(data))
			out.Write(data)
		}
		out.Flush()
	}
}
