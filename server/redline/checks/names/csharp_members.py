"""The members of C#'s sequences and strings, those of LINQ among them.

From the reference of .NET 10 (learn.microsoft.com/dotnet/api); one set for all of these
types, because a name that none of them has is certainly wrong.
"""

from __future__ import annotations

from redline.syntax.word_set import word_set

SEQUENCES = word_set(
    "[] string String List IList ICollection IEnumerable IReadOnlyList"
    " IReadOnlyCollection IOrderedEnumerable Dictionary IDictionary IReadOnlyDictionary"
    " HashSet ISet IReadOnlySet Queue Stack"
)
"""Types whose members are known."""

MEMBERS = word_set(
    "Aggregate AggregateBy All Any Append AsEnumerable AsQueryable AsParallel Average"
    " Cast Chunk Concat Contains Count CountBy DefaultIfEmpty Distinct DistinctBy"
    " ElementAt ElementAtOrDefault Except ExceptBy First FirstOrDefault GroupBy"
    " GroupJoin Index InfiniteSequence Intersect IntersectBy Join Last LastOrDefault"
    " LeftJoin LongCount Max MaxBy Min MinBy OfType Order OrderBy OrderByDescending"
    " OrderDescending Prepend Reverse RightJoin Select SelectMany SequenceEqual Shuffle"
    " Single SingleOrDefault Skip SkipLast SkipWhile Sum Take TakeLast TakeWhile ThenBy"
    " ThenByDescending ToArray ToDictionary ToHashSet ToList ToLookup"
    " TryGetNonEnumeratedCount Union UnionBy Where Zip ToImmutableArray"
    " ToImmutableDictionary ToImmutableHashSet ToImmutableList"
    " ToImmutableSortedDictionary ToImmutableSortedSet ToFrozenDictionary ToFrozenSet"
    " Ancestors AncestorsAndSelf Attributes Descendants DescendantNodes"
    " DescendantNodesAndSelf DescendantsAndSelf Elements InDocumentOrder Nodes"
    " ToAsyncEnumerable GetEnumerator CopyToDataTable AsDataView AsMultiValueQueryable"
    # Lists, dictionaries, sets, queues, stacks and arrays.
    " Add AddRange AsReadOnly BinarySearch Capacity Clear ConvertAll CopyTo"
    " EnsureCapacity Exists Find FindAll FindIndex FindLast FindLastIndex ForEach"
    " GetRange IndexOf Insert InsertRange LastIndexOf Remove RemoveAll RemoveAt"
    " RemoveRange Slice Sort TrimExcess TrueForAll IsReadOnly SyncRoot IsSynchronized"
    " IsFixedSize Keys Values ContainsKey ContainsValue TryAdd TryGetValue"
    " GetValueOrDefault Comparer GetAlternateLookup TryGetAlternateLookup GetObjectData"
    " OnDeserialization UnionWith IntersectWith ExceptWith SymmetricExceptWith"
    " IsSubsetOf IsSupersetOf IsProperSubsetOf IsProperSupersetOf Overlaps SetEquals"
    " RemoveWhere Enqueue Dequeue TryDequeue Peek TryPeek Push Pop TryPop Length"
    " LongLength Rank GetLength GetLongLength GetLowerBound GetUpperBound GetValue"
    " SetValue Initialize AsSpan AsMemory Item CreateOrderedEnumerable ToFrozen"
    # Strings.
    " Chars Clone Compare CompareOrdinal CompareTo Copy Create EndsWith Empty"
    " EnumerateRunes EnumerateLines Format GetPinnableReference GetTypeCode IndexOfAny"
    " Intern IsInterned IsNormalized IsNullOrEmpty IsNullOrWhiteSpace LastIndexOfAny"
    " Normalize PadLeft PadRight Replace ReplaceLineEndings Split StartsWith Substring"
    " ToCharArray ToLower ToLowerInvariant ToUpper ToUpperInvariant Trim TrimEnd"
    " TrimStart TryCopyTo Parse TryParse IsWhiteSpace ContainsAny ContainsAnyExcept"
    " GetNormalizedLength TryNormalize"
)
