// Containers and encoders that a container hands out.

extension EncoderCore {
    /// Begins a nested container for the element that was just counted, or whose key was just appended.
    func nested(isMap: Bool, key: any CodingKey, of handle: EncoderHandle) -> (EncoderCore, EncoderHandle) {
        guard defersNested else {
            path.append(key)
            return (self, open(isMap: isMap, ownsKey: true))
        }
        let child = addChild(key: key, of: handle)
        return (child, child.open(isMap: isMap))
    }

    /// A core of its own for an element whose end nobody announces.
    func addChild(key: any CodingKey, of handle: EncoderHandle) -> EncoderCore {
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

    /// A core whose bytes nobody takes, for calls that cannot throw and came too late.
    func discarded() -> EncoderCore {
        EncoderCore(defersNested: defersNested, path: path, root: root ?? self)
    }

    /// An encoder for the whole of a core.
    var wholeEncoder: ScopedEncoder {
        ScopedEncoder(core: self, base: 0, pathCount: Int32(path.count), start: 0)
    }

    func codingPath(of handle: EncoderHandle) -> [any CodingKey] {
        let index = Int(handle.index)
        guard index < frames.count, frames[index].serial == Int(handle.serial) else { return path }
        return Array(path.prefix(frames[index].pathCount))
    }

    func count(of handle: EncoderHandle) -> Int {
        let index = Int(handle.index)
        guard index < frames.count, frames[index].serial == Int(handle.serial) else { return 0 }
        return frames[index].count
    }
}
