/// The place at which a nested container was requested: the serial of the map around it, and the bytes of its key.
struct NestedPlace: Hashable {
    let serial: Int32
    let key: [UInt8]
}

/// A nested container with a buffer of its own.
struct NestedContainer {
    let core: EncoderCore
    let handle: EncoderHandle
    let isMap: Bool
}

/// The methods for the values, containers and encoders that a container provides.
extension EncoderCore {
    /// Appends a value of any type, whose key or place was just appended.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key of the value, for the path.
    ///   - handle: The container.
    ///   - start: The position at which the key or element begins.
    @inline(__always)
    func encode<Value: Encodable>(
        _ value: Value,
        under key: @autoclosure () -> any CodingKey,
        in handle: EncoderHandle,
        from start: Int
    ) throws {
        do {
            if try encodeFast(value) { return }
            path.append(key())
            try encodeScope(value)
            path.removeLast()
        } catch {
            noteFailure()
            rollBack(handle, to: start)
            throw error
        }
    }

    // A container that is requested again under the same key of a map is the same container, as in JSONEncoder.

    func nestedMap<Key: CodingKey>(
        _ type: Key.Type,
        forKey key: any CodingKey,
        in handle: EncoderHandle
    ) -> KeyedEncodingContainer<Key> {
        let (core, handle) = nested(isMap: true, forKey: key, in: handle)
        return KeyedEncodingContainer(CBORKeyedEncodingContainer<Key>(core: core, handle: handle))
    }

    func nestedArray(forKey key: any CodingKey, in handle: EncoderHandle) -> CBORUnkeyedEncodingContainer {
        let (core, handle) = nested(isMap: false, forKey: key, in: handle)
        return CBORUnkeyedEncodingContainer(core: core, handle: handle)
    }

    private func nested(
        isMap: Bool,
        forKey key: any CodingKey,
        in handle: EncoderHandle
    ) -> (EncoderCore, EncoderHandle) {
        let name = NestedPlace(serial: handle.serial, key: defersNested ? Array(key.stringValue.utf8) : [])
        if defersNested, place(of: handle) != nil, let known = nestedContainers[name] {
            guard known.isMap != isMap else { return (known.core, known.handle) }
            let sentence = "A keyed and an unkeyed container were asked for under the same key."
            fail(EncodingError.invalid("container", codingPath(of: handle) + [key], sentence))
            let discarded = discarded()
            return (discarded, discarded.open(isMap: isMap))
        }
        let isOpen = appendKey(key.stringValue, handle)
        let (core, nested) = nested(isMap: isMap, isOpen: isOpen, under: key, in: handle)
        if defersNested, isOpen {
            nestedContainers[name] = NestedContainer(core: core, handle: nested, isMap: isMap)
        } else if isOpen {
            frames[Int(handle.index)].hasNested = true
        }
        return (core, nested)
    }

    /// Forgets the nested containers whose buffers were removed.
    func forgetNested() {
        guard !nestedContainers.isEmpty else { return }
        let kept = Set(children.map { ObjectIdentifier($0.core) })
        nestedContainers = nestedContainers.filter { kept.contains(ObjectIdentifier($0.value.core)) }
    }

    /// Begins a map inside a container.
    ///
    /// - Parameter isOpen: Whether the element was counted. Otherwise the container has ended.
    func nestedMap<Key: CodingKey>(
        _ type: Key.Type,
        isOpen: Bool,
        under key: any CodingKey,
        in handle: EncoderHandle
    ) -> KeyedEncodingContainer<Key> {
        let (core, handle) = nested(isMap: true, isOpen: isOpen, under: key, in: handle)
        return KeyedEncodingContainer(CBORKeyedEncodingContainer<Key>(core: core, handle: handle))
    }

    /// Begins an array inside a container.
    ///
    /// - Parameter isOpen: Whether the element was counted. Otherwise the container has ended.
    func nestedArray(isOpen: Bool, under key: any CodingKey, in handle: EncoderHandle) -> CBORUnkeyedEncodingContainer {
        let (core, handle) = nested(isMap: false, isOpen: isOpen, under: key, in: handle)
        return CBORUnkeyedEncodingContainer(core: core, handle: handle)
    }

    /// Returns an encoder for a value inside a container.
    ///
    /// - Parameter isOpen: Whether the element was counted, or its key appended. Otherwise the container has ended.
    func nestedEncoder(isOpen: Bool, under key: any CodingKey, in handle: EncoderHandle) -> ScopedEncoder {
        let core = child(isOpen: isOpen, under: key, in: handle)
        return ScopedEncoder(core: core, base: 0, pathCount: Int32(core.path.count), start: 0)
    }

    private func nested(
        isMap: Bool,
        isOpen: Bool,
        under key: any CodingKey,
        in handle: EncoderHandle
    ) -> (EncoderCore, EncoderHandle) {
        guard isOpen, !defersNested else {
            let core = child(isOpen: isOpen, under: key, in: handle)
            return (core, core.open(isMap: isMap))
        }
        path.append(key)
        return (self, open(isMap: isMap, ownsKey: true))
    }

    /// Returns a core of its own for an element whose end is not reported.
    private func child(isOpen: Bool, under key: any CodingKey, in handle: EncoderHandle) -> EncoderCore {
        guard isOpen else { return discarded() }
        let child = EncoderCore(
            defersNested: defersNested,
            path: path + [key],
            outerDepth: outerDepth + frames.count,
            root: root ?? self
        )
        frames[Int(handle.index)].hasChildren = true
        children.append(Child(serial: handle.serial, offset: writer.bytes.count, core: child))
        return child
    }

    /// Returns a core whose bytes are discarded, for calls that cannot throw and came too late.
    func discarded() -> EncoderCore {
        EncoderCore(defersNested: defersNested, path: path, root: root ?? self)
    }

    func codingPath(of handle: EncoderHandle) -> [any CodingKey] {
        Array(path.prefix(place(of: handle).map { frames[$0].pathCount } ?? path.count))
    }

    func count(of handle: EncoderHandle) -> Int {
        place(of: handle).map { frames[$0].count } ?? 0
    }
}
