import LatticeCore

/// A patch contains only the changes: a portion of files, and not all counted ones.
extension TallyState: Patchable {
    func encodePatch(from old: TallyState, to patch: inout PatchEncoder) throws {
        try patch.field("phase", from: old.phase, to: phase)
        try patch.field("switches", from: old.switches, to: switches)
        try patch.field("request", from: old.request, to: request)
        try patch.field("portions", from: old.portions, to: portions)
        try patch.field("countedFiles", from: old.countedFiles, to: countedFiles)
        try patch.field("countedBytes", from: old.countedBytes, to: countedBytes)
        try patch.field("failures", from: old.failures, to: failures)
        try patch.field("unreadableDirectories", from: old.unreadableDirectories, to: unreadableDirectories)
        try patch.field("found", from: old.found, to: found)
        try patch.field("isWalked", from: old.isWalked, to: isWalked)
        try patch.field("claims", from: old.claims, to: claims)
        try patch.field("openLanes", from: old.openLanes, to: openLanes)
        try patch.field("suspects", from: old.suspects, to: suspects)
        try patch.field("processID", from: old.processID, to: processID)
        try patch.field("incarnations", from: old.incarnations, to: incarnations)
        try patch.field("pastSeconds", from: old.pastSeconds, to: pastSeconds)
        try patch.field("seconds", from: old.seconds, to: seconds)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "phase": try patch.apply(to: &phase)
            case "switches": try patch.apply(to: &switches)
            case "request": try patch.apply(to: &request)
            case "portions": try patch.apply(to: &portions)
            case "countedFiles": try patch.apply(to: &countedFiles)
            case "countedBytes": try patch.apply(to: &countedBytes)
            case "failures": try patch.apply(to: &failures)
            case "unreadableDirectories": try patch.apply(to: &unreadableDirectories)
            case "found": try patch.apply(to: &found)
            case "isWalked": try patch.apply(to: &isWalked)
            case "claims": try patch.apply(to: &claims)
            case "openLanes": try patch.apply(to: &openLanes)
            case "suspects": try patch.apply(to: &suspects)
            case "processID": try patch.apply(to: &processID)
            case "incarnations": try patch.apply(to: &incarnations)
            case "pastSeconds": try patch.apply(to: &pastSeconds)
            case "seconds": try patch.apply(to: &seconds)
            default: throw patch.unknownField(name)
            }
        }
    }
}
